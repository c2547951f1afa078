#!/usr/bin/env python3
"""whorl serve as a process, with the package ismrmrd as its client.

    check_serve.py PROGRAM

Exit code 77: the package is not installed, and nothing was tested.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import ismrmrd
    from ismrmrd.serialization import ConfigFile, ConfigText, ProtocolDeserializer, ProtocolSerializer
except ImportError as missing:
    print(f"skipped: {missing}; install ismrmrd 1.15 or later to test with it")
    sys.exit(77)

PROGRAM = sys.argv[1]
SIZE, SPOKES, COILS = 32, 40, 3


class Server:
    def __init__(self, *options, port=0):
        command = [PROGRAM, "serve", "--port", str(port), "--device", "cpu", "--threads", "2", "--log", "json", *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        assert "listening at 127.0.0.1, port " in line, (line, self.process.stderr.read())
        self.port = int(line.split()[-1])

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=60).makefile("rwb")

    def stop(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        out, log = self.process.communicate(timeout=60)
        return [json.loads(line) for line in log.splitlines()]


def header():
    space = f"""<matrixSize><x>{SIZE}</x><y>{SIZE}</y><z>1</z></matrixSize>
      <fieldOfView_mm><x>256</x><y>256</y><z>5</z></fieldOfView_mm>"""
    return ismrmrd.xsd.CreateFromDocument(
        f"""<?xml version="1.0"?><ismrmrdHeader xmlns="http://www.ismrm.org/ISMRMRD">
      <experimentalConditions><H1resonanceFrequency_Hz>63500000</H1resonanceFrequency_Hz></experimentalConditions>
      <encoding><encodedSpace>{space}</encodedSpace><reconSpace>{space}</reconSpace>
      <encodingLimits/><trajectory>goldenangle</trajectory></encoding></ismrmrdHeader>"""
    )


def spoke(number):
    """A point of amplitude 1 in each coil, 3 pixels right of the center and 5 below: exp(-2 pi i k.r)."""
    radius = (np.arange(2 * SIZE) - SIZE) / (2 * SIZE)  # cycles per pixel
    angle = number * np.pi * (np.sqrt(5) - 1) / 2
    points = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
    signal_of_point = np.exp(-2j * np.pi * points @ [3, 5]) / SIZE
    data = np.tile(signal_of_point, (COILS, 1)).astype(np.complex64)
    acquisition = ismrmrd.Acquisition.from_array(data, points.astype(np.float32) * SIZE)  # cycles per field of view
    acquisition.acquisition_time_stamp = number
    acquisition.read_dir[0] = acquisition.phase_dir[1] = acquisition.slice_dir[2] = 1
    acquisition.center_sample = SIZE
    return acquisition


def talk(stream, config, spokes=range(SPOKES)):
    """Sends a measurement and gives images and texts."""
    writer = ProtocolSerializer(stream)
    for message in (config, header(), *map(spoke, spokes)):
        writer.serialize(message)
    writer.close()
    answers = list(ProtocolDeserializer(stream).deserialize())
    return [a for a in answers if isinstance(a, ismrmrd.Image)], [a for a in answers if isinstance(a, str)]


def check_image(image):
    pixels = np.abs(image.data[0, 0])
    assert pixels.shape == (SIZE, SIZE), pixels.shape
    assert np.unravel_index(pixels.argmax(), pixels.shape) == (SIZE // 2 + 5, SIZE // 2 + 3)
    assert image.field_of_view[0] == 256 and image.read_dir[0] == 1
    assert float(image.meta["WindowWidth"]) > 0


def check_images(folder):
    with open(os.path.join(folder, "live.json"), "w") as file:
        json.dump({"method": "gridding", "prewhitening": False, "spokes-per-frame": 20}, file)
    server = Server("--configs", folder)
    images, texts = talk(server.connect(), ConfigFile("live"))
    assert len(images) == 2, texts
    for number, image in enumerate(images):
        check_image(image)
        assert image.repetition == number and image.acquisition_time_stamp == 20 * number + 19
    images, texts = talk(server.connect(), ConfigText('{"method": "gridding", "output": "complex"}'))
    assert len(images) == 1 and images[0].data.dtype == np.complex64, texts
    check_image(images[0])
    assert texts and all(text[:4] in ("DBG ", "WRN ") and text.endswith("\0") for text in texts), texts
    images, texts = talk(server.connect(), ConfigFile("default.xml"))
    assert len(images) == 1, texts

    stream = server.connect()  # the reader of the package gets the server's close after an error too
    ProtocolSerializer(stream).serialize(ConfigFile("unknown"))
    stream.flush()
    (text,) = ProtocolDeserializer(stream).deserialize()
    assert text.startswith("ERR this server has no reconstruction 'unknown'; it has default, live"), text

    stream = server.connect()  # what is no image's is passed over
    writer = ProtocolSerializer(stream)
    for message in (ConfigFile("live"), header(), "a note", np.ones((2, 3), np.float32), ismrmrd.Waveform(), spoke(0)):
        writer.serialize(message)
    writer.close()
    texts = list(ProtocolDeserializer(stream).deserialize())
    assert any("1 readouts at the end filled no frame" in text for text in texts), texts

    log = server.stop()
    assert server.process.returncode == 0
    events = [line["event"] for line in log]
    assert events[-1] == "stopped" and events.count("connected") == 5 and events.count("failed") == 1, events


def rest_of(stream):
    try:
        return stream.read()
    except ConnectionResetError:
        return b""


def check_killed():
    """The end of the server is an end of the stream for its clients, whatever they are at; one that is started anew serves on."""
    live = ConfigText('{"spokes-per-frame": 10, "method": "gridding", "prewhitening": false}')
    server = Server()
    idle, measuring = server.connect(), server.connect()
    ProtocolSerializer(idle).serialize(ConfigFile("default"))
    idle.flush()
    writer = ProtocolSerializer(measuring)
    for message in (live, header(), *map(spoke, range(15))):
        writer.serialize(message)
    measuring.flush()
    check_image(next(ProtocolDeserializer(measuring).deserialize()))
    server.process.kill()
    server.process.communicate()
    assert rest_of(idle) == b"" and rest_of(measuring) == b""
    again = Server(port=server.port)
    images, texts = talk(again.connect(), live)
    assert len(images) == SPOKES // 10, texts
    again.stop()
    assert again.process.returncode == 0


def check_drain():
    """SIGTERM: who has begun may end, in the time that is allowed."""
    server = Server("--drain-time", "0.2")
    stream = server.connect()
    writer = ProtocolSerializer(stream)
    for message in (ConfigText('{"spokes-per-frame": 1, "method": "gridding", "prewhitening": false}'), header(), spoke(0)):
        writer.serialize(message)
    stream.flush()
    answers = ProtocolDeserializer(stream).deserialize()
    check_size = next(answers).data.shape
    assert check_size == (1, 1, SIZE, SIZE), check_size
    server.process.send_signal(signal.SIGTERM)
    (text,) = answers
    assert text.startswith("ERR the server stops"), text
    stream.close()
    server.stop()
    assert server.process.returncode == 0


with tempfile.TemporaryDirectory() as scratch:
    check_images(scratch)
check_killed()
check_drain()
print("whorl serve answers the package ismrmrd")

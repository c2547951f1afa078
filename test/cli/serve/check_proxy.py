#!/usr/bin/env python3
"""The recipes of docs/howto/serve.md for a proxy with TLS, with those of stunnel and nginx that are installed.

    check_proxy.py PROGRAM PAGE

A client with a certificate gets the server's answer, one without gets nothing. Exit code 77: neither proxy is installed.
"""

import os
import re
import shutil
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import time

PROGRAM, PAGE = sys.argv[1:]


def blocks(name):
    """The page's code in a language."""
    with open(PAGE) as page:
        return re.findall(rf"```{name}\n(.*?)```", page.read(), re.S)


def recipe(text, folder, port, server):
    """With the files and ports of this test; everything else is the page's."""
    for name in ("server.pem", "server.key", "clients.pem"):
        text = text.replace(f"/etc/whorl/{name}", f"{folder}/{name}")
    assert "9443" in text and "127.0.0.1:9002" in text and "/etc/" not in text, text
    return text.replace("9443", f"127.0.0.1:{port}").replace("127.0.0.1:9002", f"127.0.0.1:{server}")


def make_certificates(folder):
    for name in ("server", "client"):
        subprocess.run(
            f"openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN={name} -keyout {name}.key -out {name}.crt"
            f" && cat {name}.crt {name}.key > {name}.pem && cp client.crt clients.pem 2>/dev/null || true",
            shell=True, cwd=folder, check=True, capture_output=True,
        )


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def answer(folder, port, certificate):
    """What the server says to a reconstruction that it has not."""
    context = ssl.create_default_context(cafile=f"{folder}/server.crt")
    context.check_hostname = False
    if certificate:
        context.load_cert_chain(f"{folder}/client.pem")
    with socket.create_connection(("127.0.0.1", port), timeout=20) as plain:
        with context.wrap_socket(plain) as secure:
            secure.sendall(struct.pack("<H", 1) + b"unknown".ljust(1024, b"\0"))
            got = b""
            while part := secure.recv(4096):
                got += part
            return got


def check(folder, command, port):
    proxy = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        for _ in range(100):
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                assert proxy.poll() is None, proxy.stdout.read().decode()
                time.sleep(0.1)
        assert b"ERR this server has no reconstruction 'unknown'" in answer(folder, port, True)
        try:
            assert answer(folder, port, False) == b""
        except (ssl.SSLError, ConnectionResetError):
            pass
    finally:
        proxy.terminate()
        proxy.wait()


def stunnel(folder, server):
    port = free_port()
    (text,) = [block for block in blocks("ini") if "accept" in block]
    with open(f"{folder}/stunnel.conf", "w") as file:
        file.write("foreground = yes\npid =\n" + recipe(text, folder, port, server))
    check(folder, ["stunnel", f"{folder}/stunnel.conf"], port)


def nginx(folder, server):
    port = free_port()
    (text,) = blocks("nginx")
    module = "/usr/lib/nginx/modules/ngx_stream_module.so"
    with open(f"{folder}/nginx.conf", "w") as file:
        file.write(f"load_module {module};\n" if os.path.exists(module) else "")
        file.write(f"pid {folder}/nginx.pid;\nerror_log stderr;\ndaemon off;\nevents {{}}\n")
        file.write(recipe(text, folder, port, server))
    check(folder, ["nginx", "-p", folder, "-e", "stderr", "-c", f"{folder}/nginx.conf"], port)


there = [proxy for proxy in (stunnel, nginx) if shutil.which(proxy.__name__) and shutil.which("openssl")]
if not there:
    print("skipped: neither stunnel nor nginx is installed, or openssl is not")
    sys.exit(77)
server = subprocess.Popen([PROGRAM, "serve", "--port", "0", "--device", "cpu", "-q"], stdout=subprocess.PIPE, text=True)
try:
    number = int(server.stdout.readline().split()[-1])
    with tempfile.TemporaryDirectory() as scratch:
        make_certificates(scratch)
        for proxy in there:
            proxy(scratch, number)
finally:
    server.terminate()
    server.wait()
print("proxies by the page's recipes:", ", ".join(proxy.__name__ for proxy in there))

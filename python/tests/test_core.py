"""Errors, contexts, cancellation, Ctrl-C and progress."""

import signal
import subprocess
import sys
import threading

import numpy as np
import pytest
import whorl


def test_errors_are_those_of_python_too():
    assert issubclass(whorl.ShapeError, whorl.Error) and issubclass(whorl.ShapeError, ValueError)
    assert issubclass(whorl.ValueError, whorl.Error) and issubclass(whorl.ValueError, ValueError)
    assert issubclass(whorl.IoError, OSError)
    assert issubclass(whorl.DeviceError, RuntimeError)
    assert issubclass(whorl.Unsupported, NotImplementedError)
    assert issubclass(whorl.Cancelled, whorl.Error)


def test_a_missing_file_is_an_os_error(tmp_path):
    with pytest.raises(OSError, match="missing.h5"):
        whorl.read_scan(tmp_path / "missing.h5")


def test_star_import_leaves_names_of_python_alone():
    names = {}
    exec("from whorl import *", names)
    assert names.get("ValueError", ValueError) is ValueError
    assert "filter" not in names and "Nufft" in names


def test_context():
    context = whorl.Context("cpu", threads=1, max_memory=1 << 30)
    assert context.device == "cpu" and context.threads == 1
    assert context.memory()["in_use"] == 0
    with pytest.raises(ValueError, match="'gpu'"):
        whorl.Context("gpu")
    with pytest.raises(TypeError, match="context"):
        whorl.trajectory.random_trajectory(10, context=3)


def test_memory_of_results_is_the_contexts():
    context = whorl.Context("cpu")
    A = whorl.Nufft(whorl.trajectory.random_trajectory(50), (8, 9), context=context)
    before = context.memory()["in_use"]
    y = A @ np.ones((1, 8, 9), "complex64")
    assert context.memory()["in_use"] >= before + y.nbytes
    del y
    assert context.memory()["in_use"] == before


def long_call(context):
    """Voronoi cells of many samples: seconds of work in small steps."""
    return whorl.trajectory.density_weights(whorl.trajectory.random_trajectory(150_000, 3), (64, 64, 64), "voronoi", context=context)


def test_a_token_cancels_a_call_of_another_thread():
    token = whorl.devices.CancelToken()
    begun = threading.Event()
    context = whorl.Context("cpu", threads=1, cancel=token, progress=lambda *step: begun.set())
    caught = []

    def work():
        try:
            long_call(context)
        except whorl.Cancelled as error:
            caught.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    # The GIL is free while the call runs, or this would wait for its end.
    assert begun.wait(60)
    token.request()
    thread.join()
    assert len(caught) == 1 and token.requested
    token.reset()
    assert whorl.trajectory.random_trajectory(10, context=context).samples == 10


INTERRUPTED = """
import os, signal, sys, threading
import whorl
# Python has no handler where whoever started it ignores the signal, as shells do for their background jobs.
signal.signal(signal.SIGINT, signal.default_int_handler)
trajectory = whorl.trajectory.random_trajectory(150_000, 3)
begun = threading.Event()
context = whorl.Context("cpu", threads=1, progress=lambda *step: begun.set())
def strike():
    begun.wait()
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=strike).start()
try:
    whorl.trajectory.density_weights(trajectory, (64, 64, 64), "voronoi", context=context)
except KeyboardInterrupt:
    # The context works again, and so does Python's own handler.
    assert whorl.trajectory.random_trajectory(10, context=context).samples == 10
    try:
        os.kill(os.getpid(), signal.SIGINT)
        for _ in range(10**9): pass
    except KeyboardInterrupt:
        print("interrupted twice")
"""


def test_ctrl_c_interrupts_a_call():
    result = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=300)
    assert result.stdout == "interrupted twice\n", result.stderr


def test_a_handler_of_the_program_runs_and_the_work_is_cancelled():
    heard = []
    before = signal.signal(signal.SIGINT, lambda *of: heard.append(of))
    try:
        # The signal arrives from the call itself: its progress is told in this thread.
        context = whorl.Context("cpu", threads=1, progress=lambda *step: signal.raise_signal(signal.SIGINT))
        with pytest.raises(whorl.Cancelled):
            long_call(context)
    finally:
        signal.signal(signal.SIGINT, before)
    assert heard


def test_progress_is_told_to_functions_and_sinks():
    steps = []
    trajectory = whorl.trajectory.radial_trajectory(60, 64)
    context = whorl.Context("cpu", progress=lambda *step: steps.append(step))
    whorl.trajectory.density_weights(trajectory, (64, 64), "pipe-menon", context=context)
    assert steps and all(len(step) == 4 for step in steps)
    stages = {step[0] for step in steps}
    assert any(done == 0 for _, done, _, _ in steps), stages

    class Sink:
        def __init__(self):
            self.depth = 0
            self.begun = 0

        def begin(self, stage, total):
            self.depth += 1
            self.begun += 1

        def update(self, done, detail):
            assert self.depth > 0

        def end(self):
            self.depth -= 1

    sink = Sink()
    whorl.trajectory.density_weights(trajectory, (64, 64), "pipe-menon", context=context.with_progress(sink))
    assert sink.begun > 0 and sink.depth == 0


def test_an_exception_of_a_progress_function_ends_the_call():
    def fail(*step):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        whorl.trajectory.density_weights(
            whorl.trajectory.radial_trajectory(60, 64), (64, 64), "pipe-menon", context=whorl.Context(progress=fail)
        )


def test_progress_by_tqdm(capsys):
    pytest.importorskip("tqdm")
    whorl.trajectory.density_weights(
        whorl.trajectory.radial_trajectory(60, 64), (64, 64), "pipe-menon", context=whorl.Context(progress=True)
    )
    assert "it/s" in capsys.readouterr().err


def test_threads_compute_at_once():
    # Each waits for the other within a callback: with the GIL, or one lock for all, they would wait for ever.
    barrier = threading.Barrier(2, timeout=60)
    failures = []

    def work():
        A = whorl.Nufft(whorl.trajectory.random_trajectory(200), (8, 8), context=whorl.Context("cpu", threads=1))
        met = []

        def meet(iteration, residual):
            if not met:
                met.append(barrier.wait())

        try:
            whorl.conjugate_gradient(A.normal, A.H @ np.ones((1, 200), "complex64"), iterations=2, callback=meet)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_threads_share_an_operator(rng):
    A = whorl.Nufft(whorl.trajectory.random_trajectory(3000), (32, 33), coils=2)
    images = [(rng.normal(size=(2, 32, 33)) + 0j).astype("complex64") for _ in range(8)]
    expected = [A @ image for image in images]
    found = [None] * len(images)

    def work(i):
        for _ in range(5):
            found[i] = A @ images[i]

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(images))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for one, other in zip(expected, found):
        np.testing.assert_array_equal(one, other)

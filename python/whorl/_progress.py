"""Progress as a bar of tqdm: Context(progress=True), recon(progress=True)."""


class TqdmProgress:
    """A sink of progress: one bar for the outermost stage, which says what is done within it."""

    def __init__(self):
        try:
            from tqdm.auto import tqdm
        except ImportError as error:
            raise ImportError("progress=True needs the package tqdm; or pass a function f(stage, done, total, detail)") from error
        self._tqdm = tqdm
        self._bar = None
        self._stages = []  # [name, total, done]

    def begin(self, stage, total):
        if not self._stages:
            self._bar = self._tqdm(total=total or None, desc=stage)
        self._stages.append([stage, total, 0])

    def update(self, done, detail):
        self._stages[-1][2] = done
        inner = self._stages[-1][0] if len(self._stages) > 1 else ""
        self._bar.set_postfix_str(" ".join(part for part in (inner, detail) if part), refresh=False)
        self._bar.update(self._done() - self._bar.n)

    def end(self):
        self._stages.pop()
        if not self._stages:
            self._bar.close()

    def _done(self):
        # Steps of the outermost stage, with parts of steps by the stages within.
        done = 0
        for _, total, steps in reversed(self._stages[1:]):
            done = min((steps + done) / total, 1) if total else done
        outermost = self._stages[0]
        return min(outermost[2] + done, outermost[1]) if outermost[1] else outermost[2]

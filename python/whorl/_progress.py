"""Progress as bars of tqdm: Context(progress=True)."""


class TqdmProgress:
    """A sink of progress: one bar for each stage, nested stages below."""

    def __init__(self):
        try:
            from tqdm.auto import tqdm
        except ImportError as error:
            raise ImportError("progress=True needs the package tqdm; or pass a function f(stage, done, total, detail)") from error
        self._tqdm = tqdm
        self._bars = []

    def begin(self, stage, total):
        self._bars.append(self._tqdm(total=total or None, desc=stage, leave=not self._bars))

    def update(self, done, detail):
        bar = self._bars[-1]
        if detail:
            bar.set_postfix_str(detail, refresh=False)
        bar.update(done - bar.n)

    def end(self):
        self._bars.pop().close()

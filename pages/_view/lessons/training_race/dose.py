"""The dose-response table of the training race: computed once, a piece at a time, for all visitors of a server."""

import threading
import time
from datetime import UTC, datetime

from sattn_core.key_value_memory import OPTIMIZERS
from sattn_core.lessons.training_race import DoseTable, dose_frames, dose_price

SEEDS, STEPS = 3, 300


class DoseRecord:
    """The table so far, and when and how it was computed.

    Whoever wants it computes the next piece: thirty visitors who ask at once share the work of one.
    """

    def __init__(self, optimizer):
        self.optimizer = optimizer
        self.price = dose_price(optimizers=(optimizer,), n_steps=STEPS, n_seeds=SEEDS)
        self.lock = threading.Lock()
        self.restart()

    @property
    def done(self):
        return self.table.progress == 1

    def restart(self):
        """Forget the table, so that it is computed again."""
        with self.lock:
            self.frames = dose_frames(optimizers=(self.optimizer,), n_steps=STEPS, n_seeds=SEEDS, pauses=True)
            self.table, self.seconds, self.when = DoseTable((), 0.0), 0.0, None

    def advance(self):
        """Compute the next step of a training, unless the table is finished."""
        with self.lock:
            if not self.done:
                began = time.monotonic()
                self.table = next(self.frames)
                self.seconds += time.monotonic() - began
                self.when = datetime.now(UTC)


RECORDS = {optimizer: DoseRecord(optimizer) for optimizer in OPTIMIZERS}

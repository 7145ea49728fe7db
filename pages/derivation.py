"""derivation: Var(q·k) = d_k in three lines, checked on simulated pairs; each assumption can be broken."""

from pages._view.lessons.derivation.declaration import LESSON
from pages._view.page import screen

screen.open_lesson(LESSON)

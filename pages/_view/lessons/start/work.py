"""How much the start page asks of the core."""

from sattn_core.components import COMPONENT_LAWS

SAMPLES = {law: 20_000 for law in COMPONENT_LAWS} | {"student_t": 10_000}  # its draws take three times as long

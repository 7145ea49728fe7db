"""The training race of one visitor, and the table for all visitors."""

"""The training race of one visitor, and the table of all."""

"""The training race of one visitor, and a table that all visitors share."""

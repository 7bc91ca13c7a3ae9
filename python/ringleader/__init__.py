"""Protocols of the laboratory Ringleader under CPython; see `ringleader.notation`."""

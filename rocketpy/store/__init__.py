"""The message store: Apache's files, opened by either side.

Synchronous on purpose: nothing in here awaits, so every append is atomic between two awaits of its caller.
"""

"""The stream between a master and its slaves (port haListenPort), default and under a controller."""

from __future__ import annotations

from construct import Array, Bytes, Const, Int16sb, Int32sb, Int64sb, Rebuild, Struct, len_, this

# HAConnectionState ordinals
_HANDSHAKE = 1
_TRANSFER = 2

HA_REPORT = (
    Struct("max_offset" / Int64sb * "the end of the slave's commit log; 0 asks for the master's newest file")
    * "Slave to master: how far the slave has come."
)

HA_TRANSFER = (
    Struct(
        "physical_offset" / Int64sb * "where the data begins in the commit log",
        "size" / Rebuild(Int32sb, len_(this.data)) * "0 keeps the link alive",
        "data" / Bytes(this.size) * "commit log bytes, cut anywhere",
    )
    * "Master to slave: the next piece of the commit log."
)

CONTROLLER_HA_HANDSHAKE = (
    Struct(
        "state" / Const(_HANDSHAKE, Int32sb) * "1: HANDSHAKE",
        "sync_from_last_file" / Int16sb * "1: an empty slave begins at the master's newest file",
        "async_learner" / Int16sb * "1: the slave never counts as in sync",
        "broker_id" / Int64sb,
    )
    * "Slave to master in controller mode: the first message of a link."
)

EPOCH_ENTRY = (
    Struct("epoch" / Int32sb, "start_offset" / Int64sb * "physical offset at which the epoch began")
    * "One term of a master, in a handshake reply."
)

CONTROLLER_HA_HANDSHAKE_REPLY = (
    Struct(
        "state" / Const(_HANDSHAKE, Int32sb) * "1: HANDSHAKE",
        "body_length" / Rebuild(Int32sb, len_(this.epochs) * EPOCH_ENTRY.sizeof()),
        "max_offset" / Int64sb * "the end of the master's commit log",
        "last_epoch" / Int32sb,
        "epochs" / Array(this.body_length // EPOCH_ENTRY.sizeof(), EPOCH_ENTRY) * "one EPOCH_ENTRY each",
    )
    * "Master to slave in controller mode: the slave cuts its log where these epochs and its own part."
)

CONTROLLER_HA_REPORT = (
    Struct(
        "state" / Const(_TRANSFER, Int32sb) * "2: TRANSFER",
        "max_offset" / Int64sb * "the end of the slave's commit log",
    )
    * "Slave to master in controller mode: how far the slave has come."
)

CONTROLLER_HA_TRANSFER = (
    Struct(
        "state" / Const(_TRANSFER, Int32sb) * "2: TRANSFER",
        "size" / Rebuild(Int32sb, len_(this.data)) * "0 keeps the link alive",
        "physical_offset" / Int64sb * "where the data begins in the commit log",
        "epoch" / Int32sb * "the data's; a piece never spans two",
        "epoch_start_offset" / Int64sb,
        "confirm_offset" / Int64sb * "up to here every in-sync replica holds the log",
        "data" / Bytes(this.size) * "commit log bytes, cut anywhere",
    )
    * "Master to slave in controller mode: the next piece of the commit log."
)

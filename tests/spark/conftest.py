"""A local Spark, on loopback, for tests that need one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """A Spark session of this machine alone."""
    sql = pytest.importorskip("pyspark.sql", reason="pyspark is not installed: use the [spark] extra")
    session = (
        sql.SparkSession.builder.master("local[2]")
        .appName("rocketpy tests")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", "2")
        .getOrCreate()
    )
    yield session
    session.stop()

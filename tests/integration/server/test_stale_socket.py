"""The socket file that a killed server left."""

from __future__ import annotations

import socket

import pytest

from langserver.errors import StartError
from langserver.server.stale_socket import clear_stale_socket
from operating.access.address import Address


def test_the_socket_of_a_dead_server_is_removed(tmp_path):
    path = tmp_path / "s"
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))
    clear_stale_socket(Address(path=str(path)))
    assert not path.exists()


def test_the_socket_of_a_living_server_stays(tmp_path):
    path = tmp_path / "s"
    with socket.socket(socket.AF_UNIX) as living:
        living.bind(str(path))
        living.listen()
        with pytest.raises(StartError, match="another server does"):
            clear_stale_socket(Address(path=str(path)))
        assert path.exists()


def test_a_file_that_is_no_socket_stays(tmp_path):
    path = tmp_path / "precious"
    path.write_text("data")
    with pytest.raises(StartError, match="no socket"):
        clear_stale_socket(Address(path=str(path)))
    assert path.read_text() == "data"

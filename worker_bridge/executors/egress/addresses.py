"""What an address is: explicit tables, for `ipaddress.is_global` says yes to addresses that reach inside."""

from __future__ import annotations

import ipaddress
from enum import Enum, auto
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from typing import Final

from worker_bridge.executors.egress.url import Address

Network = IPv4Network | IPv6Network


class Standing(Enum):
    """From what anybody may reach to what hardly anybody should."""

    PUBLIC = auto()
    INNER = auto()  # of this machine, or of a private network
    METADATA = auto()  # link-local, or known for a cloud's credentials
    NEVER = auto()  # reserved, documentation, multicast, or an IPv4 address in other clothes


_METADATA: Final = tuple(
    ipaddress.ip_network(text)
    for text in (
        "169.254.0.0/16",  # link-local: 169.254.169.254 of most clouds, 169.254.170.2 and .23 of containers, others
        "168.63.129.16/32",  # Azure's wire server
        "100.100.100.200/32",  # Alibaba
        "192.0.0.192/32",  # Oracle
        "fe80::/10",
        "fd00:ec2::/32",  # Amazon
        "fd20:ce::/32",  # Google
        "fd00:c1::/32",  # Oracle
        "fd00:42::/32",  # Scaleway
    )
)
_INNER: Final = tuple(
    ipaddress.ip_network(text)
    for text in (
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "172.16.0.0/12",
        "192.168.0.0/16",
        "::1/128",
        "fc00::/7",
    )
)
_NEVER: Final = tuple(
    ipaddress.ip_network(text)
    for text in (
        "0.0.0.0/8",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.88.99.0/24",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/3",
        "2001::/23",
        "2001:db8::/32",
        "2002::/16",
        "3fff::/20",
    )
)
_UNICAST: Final = IPv6Network("2000::/3")
_MAPPED_AND_THE_LIKE: Final = tuple(
    IPv6Network(text)
    for text in (
        "::/96",  # compatible
        "::ffff:0:0/96",  # mapped
        "::ffff:0:0:0/96",  # translated
        "64:ff9b::/96",  # NAT64
    )
)
_LOCAL_NAT64: Final = IPv6Network("64:ff9b:1::/48")
_SIX_TO_FOUR: Final = IPv6Network("2002::/16")
_TEREDO: Final = IPv6Network("2001::/32")
_ISATAP: Final = (0x0000_5EFE, 0x0200_5EFE)
_ALL_32: Final = 0xFFFF_FFFF


@lru_cache(maxsize=4_096)
def standing(address: Address) -> Standing:
    """What an address is; one that holds an IPv4 address is NEVER of use by itself, see `inside`."""
    if _in(address, _METADATA):
        return Standing.METADATA
    if _in(address, _INNER):
        return Standing.INNER
    if inside(address) or _in(address, _NEVER) or (isinstance(address, IPv6Address) and address not in _UNICAST):
        return Standing.NEVER
    return Standing.PUBLIC


def inside(address: Address) -> tuple[IPv4Address, ...]:
    """The IPv4 addresses that packets to an IPv6 address may end up at: more than one where forms differ."""
    if isinstance(address, IPv4Address):
        return ()
    number = int(address)
    last = IPv4Address(number & _ALL_32)
    if _in(address, _MAPPED_AND_THE_LIKE):
        return () if number <= 1 else (last,)  # :: and ::1 are no IPv4 addresses
    if address in _LOCAL_NAT64:
        after_48 = (number >> 64 & 0xFFFF) << 16 | number >> 40 & 0xFFFF  # RFC 6052: bits 64 to 71 are left out
        return last, IPv4Address(after_48)
    if address in _SIX_TO_FOUR:
        return (IPv4Address(number >> 80 & _ALL_32),)
    if address in _TEREDO:
        return IPv4Address(number >> 64 & _ALL_32), IPv4Address(~number & _ALL_32)
    if number >> 32 & _ALL_32 in _ISATAP:
        return (last,)
    return ()


def names_metadata(network: Network, address: Address) -> bool:
    """Whether `network` was written for the metadata services that `address` belongs to, and is not only wide."""
    return any(
        address in known and network.version == known.version and network.subnet_of(known)  # type: ignore[arg-type]
        for known in _METADATA
    )


def _in(address: Address, networks: tuple[Network, ...]) -> bool:
    return any(address in network for network in networks)

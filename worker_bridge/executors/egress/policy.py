"""The egress policy: what may be asked for at all, and which addresses a name may have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from worker_bridge.executors.egress.addresses import Network, Standing, inside, names_metadata, standing
from worker_bridge.executors.egress.refusal import Reason, Refused
from worker_bridge.executors.egress.url import PORTS, Address, Target

# Names that mean something inside a network only. A name without a dot is one too.
_INNER_NAMES: Final = frozenset(
    "localhost local localdomain internal intranet private corp home lan domain test invalid example onion alt arpa "
    "svc cluster consul docker kubernetes".split()
)


class HostClass(StrEnum):
    """What metrics tell apart."""

    PUBLIC = "public"
    EXCEPTION = "exception"


@dataclass(frozen=True, slots=True)
class Policy:
    """Public addresses on the ports 80 and 443, and what the operator listed.

    `networks`: their addresses, on any port. `hosts`: these very hosts, which may be at private addresses, each on one
    port, or, without one, on any.
    """

    networks: tuple[Network, ...] = ()
    hosts: frozenset[tuple[str, int | None]] = frozenset()

    def lists(self, target: Target) -> bool:
        """Whether the host is in HTTP_ALLOW_HOSTS for this port."""
        return not self.hosts.isdisjoint(((target.host, target.port), (target.host, None)))

    def admit(self, target: Target) -> None:
        """Before a name is resolved: a question to a name server tells others something, too. Raises Refused."""
        if target.address is not None:
            self.judge(target, (target.address,))
        elif not (self.lists(target) or self.networks):
            _check_name_and_port(target)

    def judge(self, target: Target, addresses: Sequence[Address]) -> HostClass:
        """Whether `target` may be connected to at `addresses`, all that its name has: one forbidden forbids it.

        Raises Refused.
        """
        if all(self._in_networks(address) for address in addresses):
            return HostClass.EXCEPTION
        listed = self.lists(target)
        for address in addresses:
            self._check(target, address, listed=listed)
        if not listed:
            _check_name_and_port(target)
        return HostClass.EXCEPTION if listed else HostClass.PUBLIC

    def _check(self, target: Target, address: Address, *, listed: bool) -> None:
        if self._in_networks(address):
            return
        found = standing(address)
        if found is Standing.PUBLIC or (listed and found is Standing.INNER):
            return
        where = f"{target.host} is at {address}" if target.address is None else str(address)
        if found is Standing.METADATA or any(standing(held) is Standing.METADATA for held in inside(address)):
            raise Refused(Reason.METADATA, f"{where}: link-local, or where a cloud keeps its metadata")
        raise Refused(
            Reason.ADDRESS,
            f"{where}: not public, not in HTTP_ALLOW_NETWORKS, and {target.authority} is not in HTTP_ALLOW_HOSTS",
        )

    def _in_networks(self, address: Address) -> bool:
        """Listed itself, and so, or public, is each IPv4 address in it."""
        holding = [network for network in self.networks if address in network]
        if standing(address) is Standing.METADATA:
            return any(names_metadata(network, address) for network in holding)
        return bool(holding) and all(
            standing(held) is Standing.PUBLIC or self._in_networks(held) for held in inside(address)
        )


def _check_name_and_port(target: Target) -> None:
    """What nobody listed. Raises Refused."""
    if target.address is None and ("." not in target.host or target.host.rpartition(".")[2] in _INNER_NAMES):
        raise Refused(Reason.NAME, f"{target.host} has a meaning inside a network only, and is not in HTTP_ALLOW_HOSTS")
    if target.port not in PORTS.values():
        raise Refused(
            Reason.PORT,
            f"port {target.port} of {target.host}: 80 and 443 are allowed, and HOST:PORT as listed in HTTP_ALLOW_HOSTS",
        )

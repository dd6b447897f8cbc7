"""Network addresses of clients."""

from __future__ import annotations

import ipaddress


def get_network(address: str) -> str:
    """Return the address, of IPv6 the /64 network that one household or host has."""
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(ip, ipaddress.IPv6Address):
        return str(ip.ipv4_mapped or ipaddress.ip_network((int(ip) >> 64 << 64, 64)))
    return str(ip)

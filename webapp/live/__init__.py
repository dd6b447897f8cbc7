"""Event streams: envelope, group names, publishing and the sockets. Imports no domain writes."""

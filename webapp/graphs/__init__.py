"""Knowledge graphs: upload, snapshots, browsing."""

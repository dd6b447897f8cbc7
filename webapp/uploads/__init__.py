"""Files on their way in: resumable uploads, and what may be imported from elsewhere."""

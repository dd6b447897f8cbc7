"""The Django project and its apps: what the browser talks to. Never imports torch."""

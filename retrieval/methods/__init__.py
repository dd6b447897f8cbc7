"""Every way to answer a question: one folder a method, listed in ``registry``."""

"""Why a run did not answer what somebody expected, and the smallest change that would."""

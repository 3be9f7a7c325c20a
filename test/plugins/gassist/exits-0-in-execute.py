"""Leaves in the middle of a call, as if all were well."""
import sys

from wire import serve

serve(execute=lambda params, id: sys.exit(0))

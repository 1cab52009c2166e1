#: The version of the server whose API document made this SDK.
__version__ = "0.1.0"

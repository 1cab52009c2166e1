"""Generated from docs/openapi.json: do not edit. Import from `postmesh` and `postmesh.models`."""

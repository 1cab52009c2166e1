"""What a Django project adds to its settings: pip install postmesh django."""

import os

EMAIL_BACKEND = "postmesh.django.EmailBackend"
DEFAULT_FROM_EMAIL = "Shop <news@shop.example.com>"
POSTMESH_BASE_URL = os.environ["POSTMESH_BASE_URL"]
POSTMESH_API_KEY = os.environ["POSTMESH_API_KEY"]
POSTMESH_ACCOUNT_ID = os.environ["POSTMESH_ACCOUNT_ID"]
POSTMESH_WEBHOOK_SECRET = os.environ["WEBHOOK_SECRET"]

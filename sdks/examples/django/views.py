from django.conf import settings
from django.core.mail import EmailMessage
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from postmesh import WebhookVerificationError, verify_webhook


@require_POST
def mail_order(request: HttpRequest, number: int) -> HttpResponse:
    message = EmailMessage(f"Your order {number}", "It is on its way.", to=[request.POST["email"]])
    # this order's mail goes out once, even if the caller asks again
    message.esp_extra = {"tags": ["order"], "idempotency_key": f"order-{number}"}
    message.send()
    return JsonResponse({"id": message.postmesh_result.data[0].id}, status=202)


@csrf_exempt
@require_POST
def postmesh_event(request: HttpRequest) -> HttpResponse:
    try:
        event = verify_webhook(secret=settings.POSTMESH_WEBHOOK_SECRET, headers=request.headers, body=request.body)
    except WebhookVerificationError as error:
        return JsonResponse({"message": str(error)}, status=400)
    if event.type_ == "message.bounced":
        print("bounced:", event.data.recipient)
    return HttpResponse(status=204)

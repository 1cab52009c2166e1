package main

import (
	"encoding/json"
	"fmt"

	"github.com/sendgrid/rest"
	"github.com/sendgrid/sendgrid-go"
	"github.com/sendgrid/sendgrid-go/helpers/mail"
)

var sendgridCalls = map[string]func(Mail) Outcome{
	"files":     sendgridFiles,
	"again":     sendgridAgain,
	"batch":     sendgridBatch,
	"template":  sendgridTemplate,
	"schedule":  sendgridSchedule,
	"templates": sendgridTemplates,
	"errors":    sendgridErrors,
}

func sendgridClient(m Mail, key string) *sendgrid.Client {
	request := sendgrid.GetRequest(key, "/v3/mail/send", m.URL)
	request.Method = rest.Post
	return &sendgrid.Client{Request: request}
}

func sendgridMessage(m Mail) *mail.SGMailV3 {
	from := mail.NewEmail("Shop", m.Address)
	return mail.NewSingleEmailPlainText(from, m.Subject, mail.NewEmail("", m.To), "Hi")
}

func sendgridSend(client *sendgrid.Client, message *mail.SGMailV3) Outcome {
	response := must(client.Send(message))
	if response.StatusCode < 300 {
		return Outcome{IDs: response.Headers["X-Message-Id"]}
	}
	var body struct{ Errors []Failure }
	check(json.Unmarshal([]byte(response.Body), &body))
	return Outcome{Errors: []Failure{{Status: response.StatusCode, Message: body.Errors[0].Message}}}
}

func sendgridFile(content, name, kind string) *mail.Attachment {
	return mail.NewAttachment().SetContent(content).SetFilename(name).SetType(kind)
}

func sendgridFiles(m Mail) Outcome {
	message := sendgridMessage(m)
	message.AddContent(mail.NewContent("text/html", fmt.Sprintf(html, "logo")))
	message.Personalizations[0].AddCCs(mail.NewEmail("", m.Cc))
	message.Personalizations[0].AddBCCs(mail.NewEmail("", m.Bcc))
	message.SetReplyTo(mail.NewEmail("", replies)).SetHeader(orderKey, "17").AddCategories("kind:receipt")
	message.AddAttachment(sendgridFile(m.Picture, "logo.png", "image/png").SetDisposition("inline").SetContentID("logo"))
	message.AddAttachment(sendgridFile(m.Invoice, "invoice.pdf", "application/pdf").SetDisposition("attachment"))
	return sendgridSend(sendgridClient(m, m.Secret), message)
}

func sendgridAgain(m Mail) Outcome {
	client := sendgridClient(m, m.Secret)
	client.Headers["Idempotency-Key"] = m.Key
	first, second := sendgridSend(client, sendgridMessage(m)), sendgridSend(client, sendgridMessage(m))
	other := sendgridMessage(m)
	other.Subject = "Other"
	return Outcome{IDs: append(first.IDs, second.IDs...), Errors: sendgridSend(client, other).Errors}
}

func sendgridBatch(m Mail) Outcome {
	message := sendgridMessage(m)
	message.Personalizations = nil
	for _, to := range m.Several {
		each := mail.NewPersonalization()
		each.AddTos(mail.NewEmail("", to))
		message.AddPersonalizations(each)
	}
	return sendgridSend(sendgridClient(m, m.Secret), message)
}

func sendgridTemplate(m Mail) Outcome {
	message := mail.NewV3Mail().SetFrom(mail.NewEmail("Shop", m.Address)).SetTemplateID("d-" + m.Template)
	each := mail.NewPersonalization()
	each.AddTos(mail.NewEmail("", m.To))
	each.SetDynamicTemplateData("code", "991")
	return sendgridSend(sendgridClient(m, m.Secret), message.AddPersonalizations(each))
}

func sendgridSchedule(m Mail) Outcome {
	return sendgridSend(sendgridClient(m, m.Secret), sendgridMessage(m).SetSendAt(m.Seconds))
}

func sendgridTemplates(m Mail) Outcome {
	get := func(path string, query map[string]string, into any) {
		request := sendgrid.GetRequest(m.Secret, path, m.URL)
		request.QueryParams = query
		check(json.Unmarshal([]byte(must(sendgrid.API(request)).Body), into))
	}
	var listed struct{ Result []struct{ ID string } }
	get("/v3/templates", map[string]string{"generations": "dynamic", "page_size": "200"}, &listed)
	var read struct {
		Versions []struct {
			HTML string `json:"html_content"`
		}
	}
	get("/v3/templates/"+m.Template, nil, &read)
	outcome := Outcome{Contents: []string{read.Versions[0].HTML}}
	for _, one := range listed.Result {
		outcome.IDs = append(outcome.IDs, one.ID)
	}
	return outcome
}

func sendgridErrors(m Mail) Outcome {
	stranger := sendgridSend(sendgridClient(m, unknown), sendgridMessage(m))
	pooled := sendgridSend(sendgridClient(m, m.Secret), sendgridMessage(m).SetIPPoolID("news"))
	return Outcome{Errors: append(stranger.Errors, pooled.Errors...)}
}

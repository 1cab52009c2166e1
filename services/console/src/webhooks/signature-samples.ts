// Programs that take calls and check their signatures, without packages: HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`
// in base64, whose key is the text of the whole secret (spec 2-messages §18 rule 3). docs/guides/webhooks.md has the same ones, and
// its test runs them.
export const SAMPLES = [
  {
    id: 'node',
    label: 'Node.js',
    text: `import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const { WEBHOOK_SECRET: secret, PORT: port = '3000' } = process.env;

function isOurs({ 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': given = '' }, body) {
  if (!(Math.abs(Date.now() / 1000 - Number(at)) <= 300)) return false;
  const signature = createHmac('sha256', secret).update(\`\${id}.\${at}.\`).update(body).digest('base64');
  const expected = Buffer.from(\`v1,\${signature}\`);
  // several signatures, separated by spaces, are possible
  return given
    .split(' ')
    .map((one) => Buffer.from(one))
    .some((one) => one.length === expected.length && timingSafeEqual(one, expected));
}

createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray());
  const ok = isOurs(request.headers, body);
  response.writeHead(ok ? 204 : 401).end();
  console.log(ok ? JSON.stringify(JSON.parse(body), null, 2) : 'a call that is not ours');
}).listen(Number(port));`,
  },
  {
    id: 'python',
    label: 'Python',
    text: `import base64, hashlib, hmac, os, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ["WEBHOOK_SECRET"].encode()


def is_ours(headers, body):
    at = headers.get("webhook-timestamp", "")
    if not at.isdecimal() or abs(time.time() - int(at)) > 300:
        return False
    signed = f"{headers.get('webhook-id')}.{at}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.digest(SECRET, signed, hashlib.sha256)).decode()
    given = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(expected.encode(), one.encode()) for one in given)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        self.send_response(204 if is_ours(self.headers, body) else 401)
        self.end_headers()


ThreadingHTTPServer(("", int(os.environ.get("PORT", "3000"))), Receiver).serve_forever()`,
  },
  {
    id: 'go',
    label: 'Go',
    text: `package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

var secret = []byte(os.Getenv("WEBHOOK_SECRET"))

func isOurs(h http.Header, body []byte) bool {
	at, err := strconv.ParseInt(h.Get("webhook-timestamp"), 10, 64)
	if err != nil || time.Since(time.Unix(at, 0)).Abs() > 5*time.Minute {
		return false
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(h.Get("webhook-id") + "." + h.Get("webhook-timestamp") + "."))
	mac.Write(body)
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, given := range strings.Split(h.Get("webhook-signature"), " ") {
		if hmac.Equal([]byte(given), []byte(expected)) {
			return true
		}
	}
	return false
}

func main() {
	http.HandleFunc("POST /", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		if err != nil || !isOurs(r.Header, body) {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
	panic(http.ListenAndServe(":"+os.Getenv("PORT"), nil))
}`,
  },
  {
    id: 'php',
    label: 'PHP',
    text: `<?php
function is_ours(array $headers, string $body): bool
{
    $at = $headers['webhook-timestamp'] ?? '';
    if (!ctype_digit($at) || abs(time() - (int) $at) > 300) {
        return false;
    }
    $signed = ($headers['webhook-id'] ?? '') . ".$at.$body";
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', $signed, getenv('WEBHOOK_SECRET'), true));
    foreach (explode(' ', $headers['webhook-signature'] ?? '') as $given) {
        if (hash_equals($expected, $given)) {
            return true;
        }
    }
    return false;
}

$body = file_get_contents('php://input');
http_response_code(is_ours(array_change_key_case(getallheaders()), $body) ? 204 : 401);`,
  },
  {
    id: 'java',
    label: 'Java',
    text: `import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.security.MessageDigest;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public class Receiver {
    static boolean isOurs(String id, String at, String given, byte[] body) throws Exception {
        if (id == null || at == null || given == null || !at.matches("\\\\d{1,12}")) return false;
        if (Math.abs(System.currentTimeMillis() / 1000 - Long.parseLong(at)) > 300) return false;
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(System.getenv("WEBHOOK_SECRET").getBytes("UTF-8"), "HmacSHA256"));
        mac.update((id + "." + at + ".").getBytes("UTF-8"));
        byte[] expected = ("v1," + Base64.getEncoder().encodeToString(mac.doFinal(body))).getBytes("UTF-8");
        for (String one : given.split(" "))
            if (MessageDigest.isEqual(expected, one.getBytes("UTF-8"))) return true;
        return false;
    }

    public static void main(String[] args) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(Integer.parseInt(System.getenv("PORT"))), 0);
        server.createContext("/", call -> {
            try (call) {
                byte[] body = call.getRequestBody().readAllBytes();
                var headers = call.getRequestHeaders();
                boolean ok = isOurs(headers.getFirst("webhook-id"), headers.getFirst("webhook-timestamp"),
                    headers.getFirst("webhook-signature"), body);
                call.sendResponseHeaders(ok ? 204 : 401, -1);
            } catch (Exception error) {
                throw new RuntimeException(error);
            }
        });
        server.start();
    }
}`,
  },
] as const;

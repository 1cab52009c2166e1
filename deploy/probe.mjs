// Health check of a container: exit code 0 when the URL answers 2xx. The slim image has no curl.
const url = process.argv[2] ?? (process.env.SERVICE === 'all-in-one' ? ready(8081) : ready(8090));

try {
  const response = await fetch(url, { signal: AbortSignal.timeout(3_000) });
  if (!response.ok) process.stderr.write(`${url}: ${response.status} ${await response.text()}\n`);
  process.exitCode = response.ok ? 0 : 1;
} catch (error) {
  process.stderr.write(`${url}: ${error.cause?.code ?? error.name}\n`);
  process.exitCode = 1;
}

/** The operator port of all-in-one, the service port of a service. */
function ready(port) {
  return `http://127.0.0.1:${port}/health/ready`;
}

// @ts-check
// A person approves a send: in a form of the client, or on the terminal.
import { openSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { ReadStream, WriteStream } from 'node:tty';
import { OperatorTrouble } from '../operator-cli/requests.mjs';

const TIMEOUT_MS = 300_000;

/** @typedef {(preview: string) => Promise<boolean>} Approve whether the person approved what the preview shows */

/**
 * Shows the form of a client that has forms. A client without them asks its person before each call of a tool that is not
 * marked as reading only; the description of the tool says so to the model.
 * @param {import('@modelcontextprotocol/sdk/server/index.js').Server} server
 * @returns {Approve}
 */
export const approvedByClient = (server) => async (preview) => {
  // a client with forms that opens pages only has `url` alone
  const { elicitation } = server.getClientCapabilities() ?? {};
  if (!elicitation || (elicitation.url && !elicitation.form)) return true;
  const { action } = await server.elicitInput(
    {
      mode: 'form',
      message: `Send this message?\n\n${preview}`,
      requestedSchema: { type: 'object', properties: {} },
    },
    { timeout: TIMEOUT_MS },
  );
  return action === 'accept';
};

/** @returns {Approve} @throws OperatorTrouble where there is no terminal */
export function approvedOnTerminal() {
  try {
    // stdin and stdout belong to the protocol
    const [input, output] = [
      new ReadStream(openSync('/dev/tty', 'r')),
      new WriteStream(openSync('/dev/tty', 'w')),
    ];
    input.unref();
    return (preview) => askPerson({ input, output }, preview);
  } catch (error) {
    throw new OperatorTrouble(`--approve tty needs a terminal (${error.code ?? error.message})`);
  }
}

/**
 * @param {{ input: NodeJS.ReadableStream, output: NodeJS.WritableStream }} terminal
 * @param {string} preview
 * @returns {Promise<boolean>} false also when there is no answer in time
 */
export async function askPerson(terminal, preview) {
  const lines = createInterface({ ...terminal, terminal: false });
  try {
    const question = `\n${preview}\n\nSend this message? Type yes to send it: `;
    const answer = await lines.question(question, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    return answer.trim().toLowerCase() === 'yes';
  } catch (error) {
    if (error.name !== 'AbortError') throw error;
    return false;
  } finally {
    lines.close();
  }
}

// @ts-check
// Tools that send: the message is checked against the allow list and the budget, shown, and sent after an approval.
import { z } from 'zod';
import { OperatorTrouble } from '../operator-cli/requests.mjs';
import { plainAddress } from './allow-list.mjs';
import { dataResult, shortened, textResult, visible } from './tool-result.mjs';

const MAX_RECIPIENTS = 20;
const MAX_BODY = 100_000;
const MAX_SHOWN = 4_000;

const line = z
  .string()
  .max(900)
  .regex(/^[^\r\n]*$/, 'must be one line');

const MESSAGE_INPUT = {
  from: line.describe('an address of a sending domain of the account'),
  from_name: line.optional(),
  reply_to: line.optional(),
  to: z.array(line).min(1).max(MAX_RECIPIENTS).describe('addresses; each gets a message of its own'),
  subject: line.optional().describe('needed without template_id'),
  text: z.string().max(MAX_BODY).optional(),
  html: z.string().max(MAX_BODY).optional(),
  template_id: z.uuid().optional().describe('a published template, in place of subject, text and html'),
  substitutions: z
    .record(z.string().max(100), z.union([z.string().max(2_000), z.number(), z.boolean()]))
    .optional()
    .describe('values of the variables of the template'),
  tags: z.array(line).max(10).optional(),
};

/** @typedef {{ from: string, from_name?: string, reply_to?: string, to: string[], subject?: string, text?: string, html?: string, template_id?: string, substitutions?: Record<string, string | number | boolean>, tags?: string[] }} MessageInput */

/**
 * @param {MessageInput} input
 * @param {import('./allow-list.mjs').AllowList} allowList
 * @returns {Omit<import('./prepared-sends.mjs').Message, 'preview'>}
 * @throws OperatorTrouble for a recipient that is not allowed, and for a message without a subject or a body
 */
export function requestOf(input, allowList) {
  const { template_id, substitutions, subject, text, html, tags } = input;
  const recipients = [...new Set(input.to.map((address) => allowList.allowed(address)))].map((email) => ({
    email,
    ...(template_id && substitutions ? { substitutions } : {}),
  }));
  const sender = {
    from: { email: senderOf(input.from), ...(input.from_name ? { name: input.from_name } : {}) },
    ...(input.reply_to ? { reply_to: { email: senderOf(input.reply_to) } } : {}),
    recipients,
    ...(tags ? { tags } : {}),
  };
  if (template_id) {
    if (subject ?? text ?? html) throw new OperatorTrouble('a template has its own subject, text and html');
    return { path: '/messages/template', body: { ...sender, template_id } };
  }
  if (substitutions) throw new OperatorTrouble('substitutions are for templates: pass template_id');
  if (!subject || !(text ?? html)) throw new OperatorTrouble('pass a subject, and a text or html');
  const contents = {
    subject,
    ...(text ? { text_content: text } : {}),
    ...(html ? { html_content: html } : {}),
  };
  return { path: '/messages', body: { ...sender, ...contents } };
}

/** @param {string} address @throws OperatorTrouble */
function senderOf(address) {
  const plain = plainAddress(address);
  if (!plain) throw new OperatorTrouble(`'${address}' is not a plain address such as ann@example.com`);
  return plain.address;
}

/**
 * @param {Omit<import('./prepared-sends.mjs').Message, 'preview'>} message
 * @param {import('./read-tools.mjs').Get} get
 * @param {(path: string, body: object) => Promise<any>} post
 * @returns {Promise<string>} the message as a person reads it before it is sent
 */
async function previewOf({ body }, get, post) {
  const { from, reply_to, recipients, tags, template_id } = /** @type {any} */ (body);
  const shown = template_id ? await rendered(template_id, recipients[0], get, post) : body;
  return visible(
    [
      `From: ${from.name ? `${from.name} <${from.email}>` : from.email}`,
      ...(reply_to ? [`Reply-To: ${reply_to.email}`] : []),
      `To, a message each: ${recipients.map(({ email }) => email).join(', ')}`,
      ...(tags ? [`Tags: ${tags.join(', ')}`] : []),
      ...(shown.template ? [`Template: ${shown.template}`] : []),
      `Subject: ${shown.subject}`,
      ...(shown.text_content ? ['', shortened(shown.text_content, MAX_SHOWN)] : []),
      ...(shown.html_content ? ['', 'HTML:', shortened(shown.html_content, MAX_SHOWN)] : []),
    ].join('\n'),
  );
}

/** The published template for its first recipient; a key without templates:read may not send what no one can see. */
async function rendered(id, recipient, get, post) {
  const { name } = await get(`/templates/${id}`);
  const { email, substitutions = {} } = recipient;
  const preview = await post(`/templates/${id}/preview`, { published: true, email, substitutions });
  const { subject, text, html, issues } = preview;
  if (issues.length > 0)
    throw new OperatorTrouble(`the template cannot be rendered: ${JSON.stringify(issues).slice(0, 1_000)}`);
  return { template: name, subject, text_content: text, html_content: html };
}

/**
 * @param {import('@modelcontextprotocol/sdk/server/mcp.js').McpServer} server
 * @param {object} parts
 * @param {import('./prepared-sends.mjs').PreparedSends} parts.sends
 * @param {import('./allow-list.mjs').AllowList} parts.allowList
 * @param {'client' | 'tty' | 'off'} parts.approver
 * @param {import('./read-tools.mjs').Get} parts.get
 * @param {(path: string, body: object) => Promise<any>} parts.post
 * @param {(run: (input: any) => Promise<import('./tool-result.mjs').ToolResult>) => any} parts.handled
 */
export function addSendTools(server, { sends, allowList, approver, get, post, handled }) {
  const rules = `Allowed recipients: ${shortened(allowList.entries.join(', '), 1_000)}.`;
  /** @param {MessageInput} input */
  const prepare = async (input) => {
    const request = requestOf(input, allowList);
    return sends.prepare({ ...request, preview: await previewOf(request, get, post) });
  };
  if (approver === 'off') {
    server.registerTool(
      'send_message',
      {
        title: 'Send a message',
        description: `Sends a message now. ${rules}`,
        inputSchema: z.strictObject(MESSAGE_INPUT),
        annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
      },
      handled(async (input) => dataResult(await sends.send((await prepare(input)).id))),
    );
    return;
  }
  server.registerTool(
    'prepare_message',
    {
      title: 'Prepare a message',
      description: `Checks a message and shows how it would be sent. Nothing is sent: show the preview to the person, and call send_prepared_message with the approval id after the person has approved it. ${rules}`,
      inputSchema: z.strictObject(MESSAGE_INPUT),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    handled(async (input) => {
      const { id, preview } = await prepare(input);
      const { run, day } = sends.budget.left;
      return textResult(
        `Not sent. Approval id: ${id} (15 minutes). Left before it: ${run} messages in this run, ${day} today.\n\n${preview}`,
      );
    }),
  );
  server.registerTool(
    'send_prepared_message',
    {
      title: 'Send a prepared message',
      description:
        'Sends what prepare_message has shown, once, however often it is called. Call it only after the person has seen the preview and has approved it in so many words.',
      inputSchema: z.strictObject({ approval_id: z.uuid() }),
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
    },
    handled(async ({ approval_id }) => dataResult(await sends.send(approval_id))),
  );
}

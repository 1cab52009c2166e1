export interface Fence {
  language: string;
  words: string;
  text: string;
  line: number;
}
export function fencesOf(text: string): Fence[];
export function fencesBelow(text: string, heading: string): Fence[];
export function snippetFaults(path: string, fences: Fence[]): string[];
export function allSnippets(root: string): Map<string, Fence[]>;
export function scriptOf(fences: Fence[], prelude: string, machine?: { hasAll?: boolean }): string;
export function missingOutput(fences: Fence[], printed: string): string[];

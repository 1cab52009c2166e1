export const ALERTS: string;
export function metricsOf(query: string): string[];
export function boardQueries(): { panel: string; query: string }[];
export function alertRules(root: string): { name: string; text: string; runbook: string | undefined }[];
export function metricsInCode(root: string): Set<string>;

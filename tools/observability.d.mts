export const ALERTS: string;
export function metricsOf(query: string): string[];
export function boardQueries(): { panel: string; query: string }[];
export function alertRules(root: string): { name: string; text: string; runbook: string | undefined }[];
export function metricFaults(text: string, registered: ReadonlyMap<string, ReadonlySet<string>>): string[];
export function metricsInCode(root: string): Map<string, Set<string>>;

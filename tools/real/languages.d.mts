export function symfony(): string;

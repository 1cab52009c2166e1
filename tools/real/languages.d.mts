export function symfony(): string;
export function findLanguages(): Promise<{ env: { LANGUAGES: string }; stop: () => Promise<void> }>;

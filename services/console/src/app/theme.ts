import { stored } from '../ui/stored';

export type Theme = 'system' | 'light' | 'dark';
export const theme = stored<Theme>('postmesh.theme', 'system');

/** The style sheet follows the system unless the reader has chosen. */
export function applyTheme(): void {
  const apply = () => {
    const chosen = theme.get();
    if (chosen === 'system') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = chosen;
  };
  apply();
  theme.subscribe(apply);
}

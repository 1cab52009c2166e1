/**
 * Opens a listener at the port that a setting gives.
 * @param setting the variable that the error names
 * @throws Error with the setting and the cause when the port cannot be opened; every other error unchanged
 */
export async function openPort<T>(setting: string, port: number, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    const { code, syscall, message } = error as NodeJS.ErrnoException;
    if (syscall !== 'listen' && syscall !== 'bind') throw error;
    if ((error as { port?: number }).port !== port) throw error;
    const reason = REASONS[code ?? '']?.(port) ?? `port ${port} cannot be opened: ${message}`;
    throw new Error(`${setting}: ${reason}`, { cause: error });
  }
}

const REASONS: Record<string, (port: number) => string> = {
  EADDRINUSE: (port) => `port ${port} is taken by another program`,
  ENOTSUP: (port) =>
    `port ${port} cannot be shared: this system has no SO_REUSEPORT that divides connections (POSTMESH_REUSE_PORT=off)`,
  EACCES: (port) => `port ${port} may not be opened by this user; ports below 1024 often may not`,
};

const ROOT = '/console';
const HOME = `${ROOT}/`;
/** No page has a longer address, and a link in a message stays one line. */
const MAX_LENGTH = 500;
/** No pages: the sign-in itself, its back end, and a path that begins like the address of a host. */
const NO_PAGE = /^\/console\/(?:sign-in|api|\/)/;

/**
 * The page that a sign-in leads back to, from the address of the page of the sign-in, which anyone may have written.
 * @param to a path below `/console`
 * @returns the path with its query, always a page of the console; the first page for everything else
 */
export function returnPath(to: string | undefined, origin: string): string {
  if (to === undefined || !URL.canParse(ROOT + to, origin)) return HOME;
  const { origin: at, pathname, search } = new URL(ROOT + to, origin);
  const page = pathname + search;
  const isPage = at === origin && page.startsWith(HOME) && page.length <= MAX_LENGTH && !NO_PAGE.test(page);
  return isPage ? page : HOME;
}

/**
 * The search of the page of the sign-in that leads back.
 * @param page its path with its query
 */
export const wayBack = (page: string): { to?: string } =>
  page === HOME || page === ROOT ? {} : { to: page.slice(ROOT.length) };

/** Addresses of upstreams and gateways, as people write them. */

/** A loop, because `/\/+$/` takes time in the square of a run of slashes that is not at the end. */
export function withoutTrailingSlashes(url: string): string {
  let end = url.length
  while (url[end - 1] === '/') end--
  return url.slice(0, end)
}

import { type LookupAddress, type LookupOptions, lookup } from 'node:dns'
import { refusedHost } from '../domain/base-url.ts'

/** How a name becomes addresses. */
export type Resolve = (
  name: string,
  options: LookupOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

/** What a socket calls before it connects. */
type Lookup = (
  name: string,
  options: LookupOptions,
  callback: (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void,
) => void

export const resolveName: Resolve = (name, options, callback) => lookup(name, { ...options, all: true }, callback)

/** The `code` of the error for a refused address. */
export const REFUSED_ADDRESS = 'ERR_REFUSED_ADDRESS'

/**
 * Checks what a name resolves to whenever a connection is made, so that a name cannot be pointed at a refused address
 * after it was configured (DNS rebinding). One refused address among several refuses all.
 */
export function guardedLookup(resolve: Resolve): Lookup {
  return lookupWith(resolve, (addresses) => addresses.find(({ address }) => refusedHost(address) !== null))
}

/** For addresses that the gateway's own environment has chosen. */
export function unguardedLookup(resolve: Resolve): Lookup {
  return lookupWith(resolve, () => undefined)
}

function lookupWith(resolve: Resolve, refusedOf: (addresses: LookupAddress[]) => LookupAddress | undefined): Lookup {
  return (name, options, callback) =>
    resolve(name, options, (error, addresses) => {
      if (error !== null) return callback(error, '')
      const refused = refusedOf(addresses)
      if (refused !== undefined) {
        const message = `${name} resolves to ${refused.address}, ${refusedHost(refused.address)}`
        return callback(Object.assign(new Error(message), { code: REFUSED_ADDRESS }), '')
      }
      const [first] = addresses
      if (options.all === true) return callback(null, addresses)
      return callback(null, first?.address ?? '', first?.family)
    })
}

import { X509Certificate } from 'node:crypto'

const BLOCK = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/** Whether a text in PEM form has certificates, and all of them can be read. */
export function areCertificates(text: string): boolean {
  const blocks = text.match(BLOCK) ?? []
  return blocks.length > 0 && blocks.length === text.split('-----BEGIN ').length - 1 && blocks.every(isCertificate)
}

function isCertificate(block: string): boolean {
  try {
    return new X509Certificate(block).raw.length > 0
  } catch {
    return false
  }
}

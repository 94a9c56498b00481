/** Line breaks, other control characters, and those that turn the direction of what follows. */
const ORDERS = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu

/** Text from callers and providers where people read it: in one line, and with nothing that a terminal or a mail obeys. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').replace(ORDERS, '�')
}

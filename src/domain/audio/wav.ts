/** PCM, floats, and both in the extensible form; of others the bytes do not show the time. */
const UNPACKED = new Set([1, 3, 0xfffe])

/** By the samples that are there: the head's own byte rate may be wrong. */
export function wavMilliseconds(data: Buffer): number | null {
  let bytesPerSecond = 0
  let bytes = 0
  for (let at = 12; at + 8 <= data.length; ) {
    const name = data.toString('latin1', at, at + 4)
    const size = data.readUInt32LE(at + 4)
    const from = at + 8
    if (name === 'fmt ' && from + 16 <= data.length && bytesPerSecond === 0) {
      if (!UNPACKED.has(data.readUInt16LE(from))) return null
      const [channels, rate, bits] = [
        data.readUInt16LE(from + 2),
        data.readUInt32LE(from + 4),
        data.readUInt16LE(from + 14),
      ]
      bytesPerSecond = rate * channels * Math.ceil(bits / 8)
    }
    if (name === 'data') {
      // A recorder that did not know the size: all that follows.
      const isOpen = size === 0 || from + size > data.length
      bytes += isOpen ? data.length - from : size
      if (isOpen) break
    }
    at = from + size + (size % 2)
  }
  return bytesPerSecond === 0 ? null : (bytes * 1000) / bytesPerSecond
}

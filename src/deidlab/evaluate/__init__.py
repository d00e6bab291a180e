"""Gold and system documents in, every figure about them out, all from one set of counts a document."""

// In place of a part of @exodus/bytes in the URL bundle, which is loaded for what it adds to the other parts.

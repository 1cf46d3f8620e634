#include "server/gzip.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>

namespace zonecut::kubernetes {
namespace {

constexpr int kGzipOnly = 16 + MAX_WBITS;

class Inflater {
 public:
  Inflater() { is_ready_ = inflateInit2(&stream_, kGzipOnly) == Z_OK; }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() {
    if (is_ready_) inflateEnd(&stream_);
  }

  Unpacking unpack(std::string_view packed, std::size_t limit, std::string& text) {
    if (!is_ready_ || packed.size() > std::numeric_limits<uInt>::max()) return Unpacking::Broken;
    // zlib does not write to its input, though it only says so when asked at compile time.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream_.avail_in = static_cast<uInt>(packed.size());
    int result = Z_OK;
    while (result == Z_OK) {
      std::array<char, 64 * 1024> piece;
      stream_.next_out = reinterpret_cast<Bytef*>(piece.data());
      stream_.avail_out = static_cast<uInt>(piece.size());
      result = inflate(&stream_, Z_NO_FLUSH);
      const std::size_t made = piece.size() - stream_.avail_out;
      if (text.size() + made > limit) return Unpacking::TooLarge;
      text.append(piece.data(), made);
    }
    return result == Z_STREAM_END && stream_.avail_in == 0 ? Unpacking::Whole : Unpacking::Broken;
  }

 private:
  z_stream stream_{};
  bool is_ready_ = false;
};

}  // namespace

Unpacking unpack_gzip(std::string_view packed, std::size_t limit, std::string& text) {
  return Inflater().unpack(packed, limit, text);
}

}  // namespace zonecut::kubernetes

#include "cluster_file/file_format.hpp"

#include <fmt/format.h>

namespace zonecut {

void require_format(Fields& fields, std::string_view format) {
  const Value* value = fields.find("format");
  if (value == nullptr) {
    throw InputError(fields.where(), "the key \"format\" is missing",
                     fmt::format("begin the file with \"format: {}\"", format));
  }
  if (value->kind == Value::Kind::Scalar && value->scalar == format) return;
  const std::string_view family = format.substr(0, format.find('/') + 1);
  const bool other_version =
      value->kind == Value::Kind::Scalar && value->scalar.starts_with(family);
  throw InputError(
      fields.where(*value),
      fmt::format(
          "found {}, expected {}",
          value->kind == Value::Kind::Scalar ? fmt::format("\"{}\"", value->scalar) : "no text",
          format),
      other_version ? "this program reads no other version" : "this is another kind of file");
}

}  // namespace zonecut

#include "app/messages/packet.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "app/messages/message.h"

namespace warplens::worker {
namespace {

std::vector<std::byte> bytes_of(const Packet& packet) {
  std::vector<std::byte> bytes = header_of(packet);
  const auto text = std::as_bytes(std::span(packet.text));
  bytes.insert(bytes.end(), text.begin(), text.end());
  bytes.insert(bytes.end(), packet.bytes.begin(), packet.bytes.end());
  return bytes;
}

const Packet kPackets[] = {{"", {}},
                           {"{}", {}},
                           {"", {std::byte{7}}},
                           {std::string(1000, 'x'), std::vector<std::byte>(70'000, std::byte{3})}};

TEST(Packets, ComeOutAsTheyWentInWhateverThePieces) {
  std::vector<std::byte> stream;
  for (const Packet& packet : kPackets) {
    const auto bytes = bytes_of(packet);
    stream.insert(stream.end(), bytes.begin(), bytes.end());
  }
  for (const std::size_t piece :
       {std::size_t{1}, std::size_t{15}, std::size_t{17}, std::size_t{4096}, stream.size()}) {
    PacketDecoder decoder;
    std::vector<Packet> packets;
    for (std::size_t at = 0; at < stream.size(); at += piece) {
      decoder.feed(std::span(stream).subspan(at, std::min(piece, stream.size() - at)));
      while (true) {
        auto packet = decoder.next();
        ASSERT_TRUE(packet.ok()) << packet.error().message();
        if (!*packet) break;
        packets.push_back(**std::move(packet));
      }
    }
    EXPECT_TRUE(std::ranges::equal(packets, kPackets)) << "pieces of " << piece;
    EXPECT_FALSE(decoder.in_the_middle());
  }
}

TEST(Packets, OtherBytesAreRefusedAndNothingComesAfterThem) {
  PacketDecoder decoder;
  const std::string garbage = "Segmentation fault, said the shell";
  decoder.feed(std::as_bytes(std::span(garbage)));
  EXPECT_FALSE(decoder.next().ok());
  decoder.feed(bytes_of(kPackets[1]));
  EXPECT_FALSE(decoder.next().ok());
}

TEST(Packets, HalfAPacketWaitsForTheRest) {
  PacketDecoder decoder;
  const auto bytes = bytes_of(kPackets[3]);
  decoder.feed(std::span(bytes).first(bytes.size() - 1));
  auto packet = decoder.next();
  ASSERT_TRUE(packet.ok());
  EXPECT_FALSE(packet->has_value());
  EXPECT_TRUE(decoder.in_the_middle());
  decoder.feed(std::span(bytes).last(1));
  packet = decoder.next();
  ASSERT_TRUE(packet.ok());
  EXPECT_EQ(**packet, kPackets[3]);
}

TEST(Packets, TooLargeASizeIsRefusedByTheHeaderAlone) {
  for (const std::size_t byte : {std::size_t{7}, std::size_t{13}, std::size_t{15}}) {
    std::vector<std::byte> header = header_of({});
    header[byte] = std::byte{0x80};
    PacketDecoder decoder;
    decoder.feed(header);
    const auto packet = decoder.next();
    ASSERT_FALSE(packet.ok());
    EXPECT_NE(packet.error().what.find("too large"), std::string::npos);
  }
  PacketDecoder small({.text = 10, .bytes = 10});
  small.feed(header_of({std::string(11, 'x'), {}}));
  EXPECT_FALSE(small.next().ok());
}

TEST(Messages, ComeOutAsTheyWentIn) {
  const Message sent{MessageKind::progress,
                     12345678901234567890u,
                     {{"value", {1, 2.5, "three", nullptr}}},
                     {std::byte{1}, std::byte{0}}};
  const auto got = to_message(to_packet(sent));
  ASSERT_TRUE(got.ok());
  EXPECT_EQ(got->kind, sent.kind);
  EXPECT_EQ(got->id, sent.id);
  EXPECT_EQ(got->body, sent.body);
  EXPECT_EQ(got->bytes, sent.bytes);
}

TEST(Messages, OthersAreRefused) {
  for (const char* text : {"", "nonsense", "[]", "7", "{}", R"({"kind":"shout","id":1,"body":{}})",
                           R"({"kind":3,"id":1,"body":{}})", R"({"kind":"result","body":{}})",
                           R"({"kind":"result","id":-1,"body":{}})", R"({"kind":"result","id":1,"body":)"}) {
    EXPECT_FALSE(to_message({text, {}}).ok()) << text;
  }
  EXPECT_FALSE(to_message({std::string(1u << 20, '['), {}}).ok());
}

TEST(Messages, ErrorsKeepTheirPartsAndTextsOfAnyEncoding) {
  const Error error{"what", "where", "hint"};
  const Error again = error_from(to_json(error));
  EXPECT_EQ(again.message(), error.message());
  EXPECT_FALSE(error_from(nullptr).what.empty());
  const Packet packet = to_packet({MessageKind::error, 1, to_json(Error{"not \xff UTF-8", "", ""}), {}});
  EXPECT_TRUE(to_message(packet).ok());
}

}  // namespace
}  // namespace warplens::worker
